module github.com/deadheat-corpus/auditsink

go 1.18
