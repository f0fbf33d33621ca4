module github.com/deadheat-corpus/rowprefetch

go 1.18
