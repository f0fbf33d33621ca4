module github.com/deadheat-corpus/jitterrand

go 1.18
