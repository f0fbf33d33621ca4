module github.com/deadheat-corpus/requestcontextpool

go 1.18
