module github.com/deadheat-corpus/idle

go 1.18
