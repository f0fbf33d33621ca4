module github.com/deadheat-corpus/schemacache

go 1.18
