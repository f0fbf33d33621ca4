module github.com/deadheat-corpus/undostack

go 1.18
