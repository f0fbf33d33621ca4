module github.com/deadheat-corpus/eventbatches

go 1.18
