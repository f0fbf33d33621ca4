module github.com/deadheat-corpus/cronhooks

go 1.18
