module github.com/deadheat-corpus/searchshards

go 1.18
