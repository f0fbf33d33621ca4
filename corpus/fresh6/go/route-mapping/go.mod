module github.com/deadheat-corpus/routemapping

go 1.18
