module github.com/deadheat-corpus/loggerfields

go 1.18
