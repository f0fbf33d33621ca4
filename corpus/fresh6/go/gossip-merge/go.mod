module github.com/deadheat-corpus/gossipmerge

go 1.18
