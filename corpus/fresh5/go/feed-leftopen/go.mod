module github.com/deadheat-corpus/feedleftopen

go 1.18
