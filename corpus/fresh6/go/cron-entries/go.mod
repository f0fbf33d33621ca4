module github.com/deadheat-corpus/cronentries

go 1.18
