module github.com/deadheat-corpus/quorum

go 1.18
