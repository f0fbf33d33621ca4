module github.com/deadheat-corpus/relaywaves

go 1.18
