module github.com/deadheat-corpus/tracelines

go 1.18
