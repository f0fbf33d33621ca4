module github.com/deadheat-corpus/csvexport

go 1.18
