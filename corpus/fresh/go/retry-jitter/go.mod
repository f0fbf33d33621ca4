module github.com/deadheat-corpus/jitter

go 1.18
