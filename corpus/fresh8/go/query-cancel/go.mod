module github.com/deadheat-corpus/querycancel

go 1.18
