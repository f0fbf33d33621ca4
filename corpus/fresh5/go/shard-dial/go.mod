module github.com/deadheat-corpus/sharddial

go 1.18
