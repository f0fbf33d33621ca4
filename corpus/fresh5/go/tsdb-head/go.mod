module github.com/deadheat-corpus/tsdbhead

go 1.18
