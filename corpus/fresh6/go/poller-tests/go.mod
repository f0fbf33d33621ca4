module github.com/deadheat-corpus/pollertests

go 1.18
