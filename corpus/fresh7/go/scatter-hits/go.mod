module github.com/deadheat-corpus/scatterhits

go 1.18
