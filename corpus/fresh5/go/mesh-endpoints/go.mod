module github.com/deadheat-corpus/meshendpoints

go 1.18
