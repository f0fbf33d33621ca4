module github.com/deadheat-corpus/spanattributes

go 1.18
