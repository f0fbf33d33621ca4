module github.com/deadheat-corpus/dialeroptionstests

go 1.18
