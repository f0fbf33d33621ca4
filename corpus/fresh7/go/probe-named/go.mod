module github.com/deadheat-corpus/probenamed

go 1.18
