module github.com/deadheat-corpus/recycle

go 1.18
