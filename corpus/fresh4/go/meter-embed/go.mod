module github.com/deadheat-corpus/meterembed

go 1.18
