module github.com/deadheat-corpus/outboxclose

go 1.18
