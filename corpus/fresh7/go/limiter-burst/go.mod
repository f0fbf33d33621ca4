module github.com/deadheat-corpus/limiterburst

go 1.18
