module github.com/deadheat-corpus/stockticker

go 1.18
