module github.com/deadheat-corpus/watcherfiles

go 1.18
