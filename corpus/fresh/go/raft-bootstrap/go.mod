module github.com/deadheat-corpus/raftboot

go 1.18
