module github.com/deadheat-corpus/profilebatch

go 1.18
