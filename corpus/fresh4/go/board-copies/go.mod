module github.com/deadheat-corpus/boardcopies

go 1.18
