module github.com/deadheat-corpus/objectstatus

go 1.18
