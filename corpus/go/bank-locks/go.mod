module github.com/deadheat-corpus/bank

go 1.18
