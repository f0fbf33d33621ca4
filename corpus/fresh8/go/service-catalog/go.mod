module github.com/deadheat-corpus/servicecatalog

go 1.18
