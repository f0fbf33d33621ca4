module github.com/deadheat-corpus/columnscan

go 1.18
