module github.com/deadheat-corpus/histogramvalue

go 1.18
