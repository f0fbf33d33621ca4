module github.com/deadheat-corpus/window

go 1.19
