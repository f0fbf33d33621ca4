module github.com/deadheat-corpus/importgraph

go 1.18
