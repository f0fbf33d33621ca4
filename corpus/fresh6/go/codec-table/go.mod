module github.com/deadheat-corpus/codectable

go 1.18
