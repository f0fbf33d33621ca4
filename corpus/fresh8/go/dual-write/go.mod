module github.com/deadheat-corpus/dualwrite

go 1.18
