module github.com/deadheat-corpus/drainworkers

go 1.18
