module github.com/deadheat-corpus/mockgateway

go 1.18
