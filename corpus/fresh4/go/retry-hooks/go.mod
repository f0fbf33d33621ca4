module github.com/deadheat-corpus/retryhooks

go 1.18
