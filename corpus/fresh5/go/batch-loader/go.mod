module github.com/deadheat-corpus/batchloader

go 1.18
