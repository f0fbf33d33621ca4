module github.com/deadheat-corpus/heartbeatleaktests

go 1.18
