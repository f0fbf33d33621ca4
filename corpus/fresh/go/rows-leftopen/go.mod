module github.com/deadheat-corpus/rowsopen

go 1.18
