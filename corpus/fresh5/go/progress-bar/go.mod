module github.com/deadheat-corpus/progressbar

go 1.18
