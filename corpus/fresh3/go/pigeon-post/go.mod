module github.com/deadheat-corpus/pigeonpost

go 1.18
