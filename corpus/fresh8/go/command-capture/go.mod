module github.com/deadheat-corpus/commandcapture

go 1.18
