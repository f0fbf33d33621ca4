module github.com/deadheat-corpus/batch

go 1.18
