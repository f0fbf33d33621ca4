module github.com/deadheat-corpus/replicaposition

go 1.18
