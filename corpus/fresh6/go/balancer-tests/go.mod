module github.com/deadheat-corpus/balancertests

go 1.18
