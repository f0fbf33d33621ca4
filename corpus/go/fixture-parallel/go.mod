module github.com/deadheat-corpus/fixture

go 1.18
