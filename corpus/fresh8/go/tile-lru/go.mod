module github.com/deadheat-corpus/tilelru

go 1.18
