module github.com/deadheat-corpus/filmarchive

go 1.18
