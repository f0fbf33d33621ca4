module github.com/deadheat-corpus/actioncache

go 1.18
