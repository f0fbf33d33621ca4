module github.com/deadheat-corpus/signup

go 1.22
