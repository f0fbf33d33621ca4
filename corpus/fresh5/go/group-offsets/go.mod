module github.com/deadheat-corpus/groupoffsets

go 1.18
