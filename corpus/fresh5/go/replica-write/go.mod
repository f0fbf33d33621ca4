module github.com/deadheat-corpus/replicawrite

go 1.18
