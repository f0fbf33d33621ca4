module github.com/deadheat-corpus/outputswaptests

go 1.18
