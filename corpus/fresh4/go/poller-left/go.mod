module github.com/deadheat-corpus/pollerleft

go 1.18
