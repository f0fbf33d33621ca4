module github.com/deadheat-corpus/tailcounter

go 1.18
