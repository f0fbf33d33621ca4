module github.com/deadheat-corpus/files

go 1.18
