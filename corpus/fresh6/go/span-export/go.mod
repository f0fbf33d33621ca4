module github.com/deadheat-corpus/spanexport

go 1.18
