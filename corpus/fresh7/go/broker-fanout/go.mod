module github.com/deadheat-corpus/brokerfanout

go 1.18
