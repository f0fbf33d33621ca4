module github.com/deadheat-corpus/stream

go 1.18
