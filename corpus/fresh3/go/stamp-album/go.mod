module github.com/deadheat-corpus/stampalbum

go 1.18
