module github.com/deadheat-corpus/treeleftopen

go 1.18
