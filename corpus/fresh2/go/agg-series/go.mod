module github.com/deadheat-corpus/aggseries

go 1.18
