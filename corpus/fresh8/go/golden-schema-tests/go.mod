module github.com/deadheat-corpus/goldenschematests

go 1.18
