module github.com/deadheat-corpus/telegraphline

go 1.18
