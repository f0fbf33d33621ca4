module github.com/deadheat-corpus/interceptorpanic

go 1.18
