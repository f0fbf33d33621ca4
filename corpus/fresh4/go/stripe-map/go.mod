module github.com/deadheat-corpus/stripemap

go 1.18
