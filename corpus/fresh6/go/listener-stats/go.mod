module github.com/deadheat-corpus/listenerstats

go 1.18
