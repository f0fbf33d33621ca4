module github.com/deadheat-corpus/nameresolver

go 1.18
