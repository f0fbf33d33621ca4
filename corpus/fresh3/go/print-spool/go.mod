module github.com/deadheat-corpus/printspool

go 1.18
