module github.com/deadheat-corpus/pubsub

go 1.18
