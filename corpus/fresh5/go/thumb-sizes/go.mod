module github.com/deadheat-corpus/thumbsizes

go 1.18
