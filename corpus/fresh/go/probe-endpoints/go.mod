module github.com/deadheat-corpus/probe

go 1.18
