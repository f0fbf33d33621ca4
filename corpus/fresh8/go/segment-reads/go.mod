module github.com/deadheat-corpus/segmentreads

go 1.18
