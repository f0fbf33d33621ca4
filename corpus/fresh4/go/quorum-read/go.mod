module github.com/deadheat-corpus/quorumread

go 1.18
