module github.com/deadheat-corpus/leasegrant

go 1.18
