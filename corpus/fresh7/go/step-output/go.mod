module github.com/deadheat-corpus/stepoutput

go 1.18
