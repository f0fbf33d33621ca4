module github.com/deadheat-corpus/lookuphedge

go 1.18
