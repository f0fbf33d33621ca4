module github.com/deadheat-corpus/jobfuture

go 1.18
