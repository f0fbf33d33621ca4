module github.com/deadheat-corpus/logparallel

go 1.21
