module github.com/deadheat-corpus/indexlog

go 1.18
