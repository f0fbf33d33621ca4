module github.com/deadheat-corpus/raftnode

go 1.18
