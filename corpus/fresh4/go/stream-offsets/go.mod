module github.com/deadheat-corpus/streamoffsets

go 1.18
