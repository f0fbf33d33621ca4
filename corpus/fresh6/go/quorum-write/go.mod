module github.com/deadheat-corpus/quorumwrite

go 1.18
