module github.com/deadheat-corpus/sinkwriters

go 1.18
