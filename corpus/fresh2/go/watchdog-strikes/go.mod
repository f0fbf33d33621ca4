module github.com/deadheat-corpus/watchdogstrikes

go 1.18
