module github.com/deadheat-corpus/feedmerge

go 1.18
