module github.com/deadheat-corpus/uploadchunks

go 1.18
