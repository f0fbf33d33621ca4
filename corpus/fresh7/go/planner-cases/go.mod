module github.com/deadheat-corpus/plannercases

go 1.18
