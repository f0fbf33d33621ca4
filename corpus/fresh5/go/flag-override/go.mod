module github.com/deadheat-corpus/flagoverride

go 1.18
