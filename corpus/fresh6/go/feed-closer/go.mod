module github.com/deadheat-corpus/feedcloser

go 1.18
