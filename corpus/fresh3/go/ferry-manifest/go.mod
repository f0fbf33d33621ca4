module github.com/deadheat-corpus/ferrymanifest

go 1.18
