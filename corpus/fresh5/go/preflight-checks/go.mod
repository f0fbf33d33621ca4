module github.com/deadheat-corpus/preflightchecks

go 1.18
