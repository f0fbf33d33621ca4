module github.com/deadheat-corpus/cursor

go 1.18
