module github.com/deadheat-corpus/importrounds

go 1.18
