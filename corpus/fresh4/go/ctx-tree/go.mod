module github.com/deadheat-corpus/ctxtree

go 1.18
