module github.com/deadheat-corpus/gauges

go 1.18
