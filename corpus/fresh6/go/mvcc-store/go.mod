module github.com/deadheat-corpus/mvccstore

go 1.18
