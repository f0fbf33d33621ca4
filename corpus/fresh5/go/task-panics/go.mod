module github.com/deadheat-corpus/taskpanics

go 1.18
