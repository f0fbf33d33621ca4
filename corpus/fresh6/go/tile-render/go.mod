module github.com/deadheat-corpus/tilerender

go 1.18
