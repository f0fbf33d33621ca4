module github.com/deadheat-corpus/handlerrecordertests

go 1.18
