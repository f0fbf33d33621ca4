module github.com/deadheat-corpus/tracexp

go 1.18
