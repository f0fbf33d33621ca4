module github.com/deadheat-corpus/scatterquery

go 1.18
