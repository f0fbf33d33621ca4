module github.com/deadheat-corpus/loginindex

go 1.18
