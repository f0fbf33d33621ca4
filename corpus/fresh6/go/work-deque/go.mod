module github.com/deadheat-corpus/workdeque

go 1.18
