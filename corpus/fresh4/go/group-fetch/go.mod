module github.com/deadheat-corpus/groupfetch

go 1.18
