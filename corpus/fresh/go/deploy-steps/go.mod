module github.com/deadheat-corpus/deploy

go 1.18
