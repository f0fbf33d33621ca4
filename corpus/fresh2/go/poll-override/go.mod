module github.com/deadheat-corpus/polloverride

go 1.18
