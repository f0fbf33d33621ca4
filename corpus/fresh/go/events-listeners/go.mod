module github.com/deadheat-corpus/events

go 1.18
