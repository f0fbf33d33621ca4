module github.com/deadheat-corpus/portal

go 1.18
