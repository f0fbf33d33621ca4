module github.com/deadheat-corpus/catalogopen

go 1.18
