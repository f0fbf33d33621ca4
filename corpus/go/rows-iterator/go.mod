module github.com/deadheat-corpus/rowset

go 1.23
