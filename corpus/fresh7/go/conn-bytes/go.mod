module github.com/deadheat-corpus/connbytes

go 1.18
