module github.com/deadheat-corpus/retrylogstests

go 1.18
