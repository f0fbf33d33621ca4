module github.com/deadheat-corpus/backfilljobs

go 1.18
