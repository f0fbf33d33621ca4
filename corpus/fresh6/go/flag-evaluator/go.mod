module github.com/deadheat-corpus/flagevaluator

go 1.18
