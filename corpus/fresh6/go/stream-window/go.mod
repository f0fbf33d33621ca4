module github.com/deadheat-corpus/streamwindow

go 1.18
