module github.com/deadheat-corpus/kvengine

go 1.18
