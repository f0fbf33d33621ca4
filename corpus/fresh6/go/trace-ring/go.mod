module github.com/deadheat-corpus/tracering

go 1.18
