module github.com/deadheat-corpus/consumerboot

go 1.18
