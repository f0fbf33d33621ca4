module github.com/deadheat-corpus/metrics

go 1.18
