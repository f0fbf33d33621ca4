module github.com/deadheat-corpus/pharmacyfridge

go 1.18
