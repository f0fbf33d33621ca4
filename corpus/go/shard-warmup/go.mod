module github.com/deadheat-corpus/shardcache

go 1.21
