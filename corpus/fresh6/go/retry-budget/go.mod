module github.com/deadheat-corpus/retrybudget

go 1.18
