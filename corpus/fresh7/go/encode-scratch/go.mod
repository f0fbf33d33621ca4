module github.com/deadheat-corpus/encodescratch

go 1.18
