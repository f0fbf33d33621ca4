module github.com/deadheat-corpus/watcherclose

go 1.18
