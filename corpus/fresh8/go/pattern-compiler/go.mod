module github.com/deadheat-corpus/patterncompiler

go 1.18
