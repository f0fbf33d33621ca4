module github.com/deadheat-corpus/diffprinter

go 1.18
