module github.com/deadheat-corpus/sweeperstart

go 1.18
