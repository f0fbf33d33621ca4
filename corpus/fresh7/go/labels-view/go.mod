module github.com/deadheat-corpus/labelsview

go 1.18
