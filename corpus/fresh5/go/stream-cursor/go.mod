module github.com/deadheat-corpus/streamcursor

go 1.18
