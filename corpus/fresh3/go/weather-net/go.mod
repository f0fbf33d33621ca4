module github.com/deadheat-corpus/weathernet

go 1.18
