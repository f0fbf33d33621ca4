module github.com/deadheat-corpus/spoolrounds

go 1.18
