module github.com/deadheat-corpus/batchsend

go 1.20
