module github.com/deadheat-corpus/serverinflight

go 1.18
