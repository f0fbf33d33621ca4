module github.com/deadheat-corpus/batchsink

go 1.18
