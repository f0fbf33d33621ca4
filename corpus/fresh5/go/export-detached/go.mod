module github.com/deadheat-corpus/exportdetached

go 1.18
