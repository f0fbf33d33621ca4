module github.com/deadheat-corpus/rotate

go 1.18
