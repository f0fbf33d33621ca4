module github.com/deadheat-corpus/tokens

go 1.18
