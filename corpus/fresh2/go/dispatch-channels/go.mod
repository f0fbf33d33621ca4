module github.com/deadheat-corpus/dispatchchannels

go 1.18
