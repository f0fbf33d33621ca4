module github.com/deadheat-corpus/imageregistry

go 1.18
