module github.com/deadheat-corpus/candidategather

go 1.18
