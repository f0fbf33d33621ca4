module github.com/deadheat-corpus/numberprinter

go 1.18
