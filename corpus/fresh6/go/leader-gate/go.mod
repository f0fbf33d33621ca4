module github.com/deadheat-corpus/leadergate

go 1.18
