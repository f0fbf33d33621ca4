module github.com/deadheat-corpus/retryclocktests

go 1.18
