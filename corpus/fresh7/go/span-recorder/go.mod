module github.com/deadheat-corpus/spanrecorder

go 1.18
