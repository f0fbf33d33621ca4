module github.com/deadheat-corpus/memtracker

go 1.18
