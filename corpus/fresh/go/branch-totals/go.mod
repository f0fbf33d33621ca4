module github.com/deadheat-corpus/branches

go 1.18
