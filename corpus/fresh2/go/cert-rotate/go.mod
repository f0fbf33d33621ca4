module github.com/deadheat-corpus/certrotate

go 1.18
