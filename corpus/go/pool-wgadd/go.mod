module github.com/deadheat-corpus/jobpool

go 1.18
