module github.com/deadheat-corpus/writecoalescer

go 1.18
