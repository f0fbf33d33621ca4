module github.com/deadheat-corpus/bakeryoven

go 1.18
