module github.com/deadheat-corpus/presencerooms

go 1.18
