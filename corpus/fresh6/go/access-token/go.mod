module github.com/deadheat-corpus/accesstoken

go 1.18
