module github.com/deadheat-corpus/importprogress

go 1.18
