module github.com/deadheat-corpus/poolcrash

go 1.18
