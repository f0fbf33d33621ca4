module github.com/deadheat-corpus/indexshards

go 1.18
