module github.com/deadheat-corpus/rebasetodo

go 1.18
