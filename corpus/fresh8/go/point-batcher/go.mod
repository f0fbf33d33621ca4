module github.com/deadheat-corpus/pointbatcher

go 1.18
