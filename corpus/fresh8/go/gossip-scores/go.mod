module github.com/deadheat-corpus/gossipscores

go 1.18
