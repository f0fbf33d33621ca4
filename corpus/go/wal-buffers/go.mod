module github.com/deadheat-corpus/wal

go 1.18
