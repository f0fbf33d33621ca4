module github.com/deadheat-corpus/slowqueries

go 1.18
