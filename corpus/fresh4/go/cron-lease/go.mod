module github.com/deadheat-corpus/cronlease

go 1.18
