module github.com/deadheat-corpus/shardcompact

go 1.18
