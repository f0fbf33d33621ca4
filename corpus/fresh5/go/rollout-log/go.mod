module github.com/deadheat-corpus/rolloutlog

go 1.18
