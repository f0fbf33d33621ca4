module github.com/deadheat-corpus/chunkdigest

go 1.18
