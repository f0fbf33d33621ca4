module github.com/deadheat-corpus/probeindex

go 1.18
