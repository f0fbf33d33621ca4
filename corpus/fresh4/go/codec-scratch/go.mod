module github.com/deadheat-corpus/codecscratch

go 1.18
