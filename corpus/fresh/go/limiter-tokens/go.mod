module github.com/deadheat-corpus/ratelimit

go 1.18
