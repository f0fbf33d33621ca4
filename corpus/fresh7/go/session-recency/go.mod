module github.com/deadheat-corpus/sessionrecency

go 1.18
