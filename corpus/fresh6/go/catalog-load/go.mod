module github.com/deadheat-corpus/catalogload

go 1.18
