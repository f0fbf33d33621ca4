module github.com/deadheat-corpus/shardscan

go 1.18
