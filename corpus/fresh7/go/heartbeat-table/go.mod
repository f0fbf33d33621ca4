module github.com/deadheat-corpus/heartbeattable

go 1.18
