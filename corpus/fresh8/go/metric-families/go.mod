module github.com/deadheat-corpus/metricfamilies

go 1.18
