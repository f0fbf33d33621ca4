module github.com/deadheat-corpus/backoff

go 1.18
