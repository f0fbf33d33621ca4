module github.com/deadheat-corpus/votecount

go 1.18
