module github.com/deadheat-corpus/sessiontable

go 1.18
