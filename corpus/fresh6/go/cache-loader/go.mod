module github.com/deadheat-corpus/cacheloader

go 1.18
