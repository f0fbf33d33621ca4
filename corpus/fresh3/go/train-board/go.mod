module github.com/deadheat-corpus/trainboard

go 1.18
