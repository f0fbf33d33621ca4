module github.com/deadheat-corpus/tunnel

go 1.18
