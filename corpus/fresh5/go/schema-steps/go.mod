module github.com/deadheat-corpus/schemasteps

go 1.18
