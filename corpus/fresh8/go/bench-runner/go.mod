module github.com/deadheat-corpus/benchrunner

go 1.18
