module github.com/deadheat-corpus/thumbcache

go 1.18
