module github.com/deadheat-corpus/topichub

go 1.18
