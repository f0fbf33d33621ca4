module github.com/deadheat-corpus/requesttags

go 1.18
