module github.com/deadheat-corpus/muxhandlers

go 1.18
