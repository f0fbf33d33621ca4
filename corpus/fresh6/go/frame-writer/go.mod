module github.com/deadheat-corpus/framewriter

go 1.18
