module github.com/deadheat-corpus/sessionheartbeat

go 1.18
