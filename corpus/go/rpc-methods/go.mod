module github.com/deadheat-corpus/rpcmethods

go 1.18
