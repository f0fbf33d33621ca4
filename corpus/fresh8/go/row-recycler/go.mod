module github.com/deadheat-corpus/rowrecycler

go 1.18
