module github.com/deadheat-corpus/pricing

go 1.18
