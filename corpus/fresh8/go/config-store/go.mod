module github.com/deadheat-corpus/configstore

go 1.18
