module github.com/deadheat-corpus/sessiond

go 1.18
