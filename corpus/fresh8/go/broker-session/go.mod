module github.com/deadheat-corpus/brokersession

go 1.18
