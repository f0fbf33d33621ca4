module github.com/deadheat-corpus/tileloops

go 1.18
