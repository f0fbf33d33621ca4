module github.com/deadheat-corpus/peerlogstests

go 1.18
