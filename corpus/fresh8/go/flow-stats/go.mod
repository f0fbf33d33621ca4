module github.com/deadheat-corpus/flowstats

go 1.18
