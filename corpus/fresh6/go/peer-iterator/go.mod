module github.com/deadheat-corpus/peeriterator

go 1.23
