module github.com/deadheat-corpus/ingestwaves

go 1.18
