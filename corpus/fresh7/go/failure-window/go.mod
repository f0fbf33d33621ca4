module github.com/deadheat-corpus/failurewindow

go 1.18
