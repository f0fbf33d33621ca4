module github.com/deadheat-corpus/requestids

go 1.18
