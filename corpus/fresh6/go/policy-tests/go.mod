module github.com/deadheat-corpus/policytests

go 1.18
