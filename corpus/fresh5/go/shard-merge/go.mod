module github.com/deadheat-corpus/shardmerge

go 1.18
