module github.com/deadheat-corpus/jobrunner

go 1.18
