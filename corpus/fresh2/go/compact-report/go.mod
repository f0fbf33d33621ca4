module github.com/deadheat-corpus/compactreport

go 1.18
