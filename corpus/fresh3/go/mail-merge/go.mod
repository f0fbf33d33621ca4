module github.com/deadheat-corpus/mailmerge

go 1.18
