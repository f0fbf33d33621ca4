module github.com/deadheat-corpus/lease

go 1.18
