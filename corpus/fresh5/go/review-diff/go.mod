module github.com/deadheat-corpus/reviewdiff

go 1.18
