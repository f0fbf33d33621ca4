module github.com/deadheat-corpus/convoyroute

go 1.18
