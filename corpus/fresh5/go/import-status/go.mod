module github.com/deadheat-corpus/importstatus

go 1.18
