module github.com/deadheat-corpus/mirrorsync

go 1.18
