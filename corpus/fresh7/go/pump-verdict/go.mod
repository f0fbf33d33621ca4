module github.com/deadheat-corpus/pumpverdict

go 1.18
