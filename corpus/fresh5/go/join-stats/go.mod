module github.com/deadheat-corpus/joinstats

go 1.18
