module github.com/deadheat-corpus/checkout

go 1.18
