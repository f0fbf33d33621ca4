module github.com/deadheat-corpus/dispatcherstart

go 1.18
