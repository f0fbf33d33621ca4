module github.com/deadheat-corpus/socketpumps

go 1.18
