module github.com/deadheat-corpus/parcelsorter

go 1.18
