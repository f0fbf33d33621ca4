module github.com/deadheat-corpus/proberounds

go 1.18
