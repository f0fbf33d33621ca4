module github.com/deadheat-corpus/skilift

go 1.18
