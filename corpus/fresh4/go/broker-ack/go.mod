module github.com/deadheat-corpus/brokerack

go 1.18
