module github.com/deadheat-corpus/compactionmeter

go 1.18
