module github.com/deadheat-corpus/replicaacks

go 1.18
