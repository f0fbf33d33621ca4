module github.com/deadheat-corpus/colstats

go 1.21
