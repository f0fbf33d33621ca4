module github.com/deadheat-corpus/catalog

go 1.18
