module github.com/deadheat-corpus/lazygate

go 1.18
