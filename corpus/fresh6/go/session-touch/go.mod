module github.com/deadheat-corpus/sessiontouch

go 1.18
