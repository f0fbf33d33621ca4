module github.com/deadheat-corpus/lru

go 1.18
