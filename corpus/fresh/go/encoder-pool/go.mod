module github.com/deadheat-corpus/encpool

go 1.18
