module github.com/deadheat-corpus/orm

go 1.18
