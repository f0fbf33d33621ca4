module github.com/deadheat-corpus/jobhistory

go 1.18
