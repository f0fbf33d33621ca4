module github.com/deadheat-corpus/probeall

go 1.18
