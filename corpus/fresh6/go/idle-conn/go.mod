module github.com/deadheat-corpus/idleconn

go 1.18
