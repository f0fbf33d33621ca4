module github.com/deadheat-corpus/muxstreams

go 1.18
