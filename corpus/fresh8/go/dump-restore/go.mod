module github.com/deadheat-corpus/dumprestore

go 1.18
