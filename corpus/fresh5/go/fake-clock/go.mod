module github.com/deadheat-corpus/fakeclock

go 1.18
