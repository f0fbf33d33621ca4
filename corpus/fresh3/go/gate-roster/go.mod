module github.com/deadheat-corpus/gateroster

go 1.18
