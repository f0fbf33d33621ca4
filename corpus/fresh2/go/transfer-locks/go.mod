module github.com/deadheat-corpus/transferlocks

go 1.18
