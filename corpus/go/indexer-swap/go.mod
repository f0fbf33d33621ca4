module github.com/deadheat-corpus/indexer

go 1.18
