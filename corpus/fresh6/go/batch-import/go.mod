module github.com/deadheat-corpus/batchimport

go 1.18
