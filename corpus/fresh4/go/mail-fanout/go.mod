module github.com/deadheat-corpus/mailfanout

go 1.18
