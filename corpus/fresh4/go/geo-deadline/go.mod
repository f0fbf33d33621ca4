module github.com/deadheat-corpus/geodeadline

go 1.18
