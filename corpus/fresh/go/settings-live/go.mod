module github.com/deadheat-corpus/settings

go 1.18
