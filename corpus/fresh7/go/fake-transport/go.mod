module github.com/deadheat-corpus/faketransport

go 1.18
