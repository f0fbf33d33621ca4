module github.com/deadheat-corpus/plancache

go 1.18
