module github.com/deadheat-corpus/shardbalance

go 1.18
