module github.com/deadheat-corpus/yachtberths

go 1.18
