module github.com/deadheat-corpus/replaylogging

go 1.18
