module github.com/deadheat-corpus/nodedrain

go 1.18
