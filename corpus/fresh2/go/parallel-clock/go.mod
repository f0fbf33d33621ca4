module github.com/deadheat-corpus/parallelclock

go 1.18
