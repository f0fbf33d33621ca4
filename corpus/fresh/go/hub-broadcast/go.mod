module github.com/deadheat-corpus/hub

go 1.18
