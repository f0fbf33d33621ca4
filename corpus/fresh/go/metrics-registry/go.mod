module github.com/deadheat-corpus/metricsreg

go 1.18
