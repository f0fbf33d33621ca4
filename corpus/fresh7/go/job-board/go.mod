module github.com/deadheat-corpus/jobboard

go 1.18
