module github.com/deadheat-corpus/poller

go 1.18
