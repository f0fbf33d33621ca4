module github.com/deadheat-corpus/barrierrounds

go 1.18
