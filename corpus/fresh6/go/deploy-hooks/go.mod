module github.com/deadheat-corpus/deployhooks

go 1.18
