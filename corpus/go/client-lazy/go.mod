module github.com/deadheat-corpus/kvclient

go 1.18
