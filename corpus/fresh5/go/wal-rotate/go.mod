module github.com/deadheat-corpus/walrotate

go 1.18
