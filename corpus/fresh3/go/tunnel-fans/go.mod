module github.com/deadheat-corpus/tunnelfans

go 1.18
