module github.com/deadheat-corpus/frontierqueue

go 1.18
