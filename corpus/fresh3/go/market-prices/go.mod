module github.com/deadheat-corpus/marketprices

go 1.18
