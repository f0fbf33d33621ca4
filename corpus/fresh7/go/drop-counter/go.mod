module github.com/deadheat-corpus/dropcounter

go 1.18
