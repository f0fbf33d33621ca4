module github.com/deadheat-corpus/topics

go 1.18
