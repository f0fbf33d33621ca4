module github.com/deadheat-corpus/pipeline

go 1.18
