module github.com/deadheat-corpus/limiterwindow

go 1.18
