module github.com/deadheat-corpus/pooled

go 1.18
