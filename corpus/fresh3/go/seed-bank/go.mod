module github.com/deadheat-corpus/seedbank

go 1.18
