module github.com/deadheat-corpus/pollhooktests

go 1.18
