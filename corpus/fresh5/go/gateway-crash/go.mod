module github.com/deadheat-corpus/gatewaycrash

go 1.18
