module github.com/deadheat-corpus/negativecache

go 1.18
