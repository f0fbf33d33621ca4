module github.com/deadheat-corpus/minisql

go 1.18
