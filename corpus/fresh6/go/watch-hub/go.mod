module github.com/deadheat-corpus/watchhub

go 1.18
