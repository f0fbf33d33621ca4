module github.com/deadheat-corpus/tollgrace

go 1.18
