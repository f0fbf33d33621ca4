module github.com/deadheat-corpus/mainfixture

go 1.18
