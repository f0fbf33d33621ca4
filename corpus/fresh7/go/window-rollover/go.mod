module github.com/deadheat-corpus/windowrollover

go 1.18
