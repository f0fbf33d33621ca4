module github.com/deadheat-corpus/certreload

go 1.18
