module github.com/deadheat-corpus/shipbatches

go 1.18
