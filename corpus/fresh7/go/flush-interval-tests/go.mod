module github.com/deadheat-corpus/flushintervaltests

go 1.18
