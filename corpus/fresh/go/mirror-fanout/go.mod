module github.com/deadheat-corpus/mirrorfan

go 1.18
