module github.com/deadheat-corpus/stockregions

go 1.18
