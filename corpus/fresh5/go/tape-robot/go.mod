module github.com/deadheat-corpus/taperobot

go 1.18
