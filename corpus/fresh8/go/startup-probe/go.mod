module github.com/deadheat-corpus/startupprobe

go 1.18
