module github.com/deadheat-corpus/informercache

go 1.18
