module github.com/deadheat-corpus/bulkindexer

go 1.18
