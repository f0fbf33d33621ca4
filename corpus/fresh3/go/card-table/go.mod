module github.com/deadheat-corpus/cardtable

go 1.18
