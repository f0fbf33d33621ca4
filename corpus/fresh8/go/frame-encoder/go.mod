module github.com/deadheat-corpus/frameencoder

go 1.18
