module github.com/deadheat-corpus/mimeregistry

go 1.18
