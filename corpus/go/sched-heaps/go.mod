module github.com/deadheat-corpus/sched

go 1.18
