module github.com/deadheat-corpus/prefetch

go 1.18
