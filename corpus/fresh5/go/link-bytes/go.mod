module github.com/deadheat-corpus/linkbytes

go 1.18
