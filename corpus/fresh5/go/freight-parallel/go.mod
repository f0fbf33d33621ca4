module github.com/deadheat-corpus/freightparallel

go 1.18
