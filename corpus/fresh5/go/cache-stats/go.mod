module github.com/deadheat-corpus/cachestats

go 1.18
