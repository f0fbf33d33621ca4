module github.com/deadheat-corpus/partitionmarks

go 1.18
