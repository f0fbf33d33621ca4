module github.com/deadheat-corpus/rivercursor

go 1.18
