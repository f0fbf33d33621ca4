module github.com/deadheat-corpus/ratesdeadline

go 1.18
