module github.com/deadheat-corpus/shutdownerrors

go 1.18
