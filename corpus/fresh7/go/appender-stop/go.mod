module github.com/deadheat-corpus/appenderstop

go 1.18
