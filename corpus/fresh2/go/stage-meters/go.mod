module github.com/deadheat-corpus/stagemeters

go 1.18
