module github.com/deadheat-corpus/execargs

go 1.18
