module github.com/deadheat-corpus/backup

go 1.18
