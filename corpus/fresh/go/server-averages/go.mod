module github.com/deadheat-corpus/averages

go 1.18
