module github.com/deadheat-corpus/jobtracker

go 1.18
