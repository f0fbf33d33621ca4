module github.com/deadheat-corpus/streambroker

go 1.18
