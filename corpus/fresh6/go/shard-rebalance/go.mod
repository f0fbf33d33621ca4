module github.com/deadheat-corpus/shardrebalance

go 1.18
