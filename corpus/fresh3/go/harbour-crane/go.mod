module github.com/deadheat-corpus/harbourcrane

go 1.18
