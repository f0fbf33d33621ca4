module github.com/deadheat-corpus/eventbus

go 1.18
