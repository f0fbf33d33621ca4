module github.com/deadheat-corpus/shardwarm

go 1.18
