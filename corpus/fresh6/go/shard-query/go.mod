module github.com/deadheat-corpus/shardquery

go 1.18
