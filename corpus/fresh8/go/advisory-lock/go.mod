module github.com/deadheat-corpus/advisorylock

go 1.18
