module github.com/deadheat-corpus/buildlog

go 1.18
