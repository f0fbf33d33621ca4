module github.com/deadheat-corpus/lobbymatch

go 1.18
