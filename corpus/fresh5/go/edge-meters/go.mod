module github.com/deadheat-corpus/edgemeters

go 1.18
