module github.com/deadheat-corpus/lockd

go 1.18
