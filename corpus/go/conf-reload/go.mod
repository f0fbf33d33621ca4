module github.com/deadheat-corpus/confreload

go 1.18
