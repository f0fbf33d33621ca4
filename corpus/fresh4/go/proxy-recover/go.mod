module github.com/deadheat-corpus/proxyrecover

go 1.18
