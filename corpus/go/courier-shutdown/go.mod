module github.com/deadheat-corpus/courier

go 1.18
