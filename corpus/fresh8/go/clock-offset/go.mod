module github.com/deadheat-corpus/clockoffset

go 1.18
