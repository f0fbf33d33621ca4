module github.com/deadheat-corpus/retry

go 1.18
