module github.com/deadheat-corpus/leaderhint

go 1.18
