module github.com/deadheat-corpus/sonarsweep

go 1.18
