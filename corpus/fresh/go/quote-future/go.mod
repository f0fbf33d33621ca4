module github.com/deadheat-corpus/quotes

go 1.18
