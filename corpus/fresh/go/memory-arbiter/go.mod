module github.com/deadheat-corpus/arbiter

go 1.18
