module github.com/deadheat-corpus/stockreserve

go 1.18
