module github.com/deadheat-corpus/framepool

go 1.18
