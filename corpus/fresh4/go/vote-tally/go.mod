module github.com/deadheat-corpus/votetally

go 1.18
