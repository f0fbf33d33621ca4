module github.com/deadheat-corpus/lintfindings

go 1.18
