module github.com/deadheat-corpus/raftentries

go 1.18
