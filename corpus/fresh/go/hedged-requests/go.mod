module github.com/deadheat-corpus/hedge

go 1.18
