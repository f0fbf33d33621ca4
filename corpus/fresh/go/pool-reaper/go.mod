module github.com/deadheat-corpus/connpool

go 1.18
