module github.com/deadheat-corpus/readrepair

go 1.18
