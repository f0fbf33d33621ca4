module github.com/deadheat-corpus/thumbpipeline

go 1.18
