module github.com/deadheat-corpus/samplebatch

go 1.18
