module github.com/deadheat-corpus/seasonranking

go 1.18
