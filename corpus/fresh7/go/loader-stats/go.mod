module github.com/deadheat-corpus/loaderstats

go 1.18
