module github.com/deadheat-corpus/pluginguard

go 1.18
