module github.com/deadheat-corpus/fetchlimit

go 1.18
