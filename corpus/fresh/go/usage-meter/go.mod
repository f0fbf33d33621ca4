module github.com/deadheat-corpus/usage

go 1.18
