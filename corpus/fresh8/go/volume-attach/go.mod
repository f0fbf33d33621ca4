module github.com/deadheat-corpus/volumeattach

go 1.18
