module github.com/deadheat-corpus/regionchecks

go 1.18
