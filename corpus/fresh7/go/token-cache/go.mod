module github.com/deadheat-corpus/tokencache

go 1.18
