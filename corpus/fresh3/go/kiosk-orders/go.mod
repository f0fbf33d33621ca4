module github.com/deadheat-corpus/kioskorders

go 1.18
