module github.com/deadheat-corpus/historyview

go 1.18
