module github.com/deadheat-corpus/geodatabase

go 1.18
