module github.com/deadheat-corpus/hedgedget

go 1.18
