module github.com/deadheat-corpus/inflightmw

go 1.18
