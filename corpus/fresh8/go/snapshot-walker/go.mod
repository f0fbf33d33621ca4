module github.com/deadheat-corpus/snapshotwalker

go 1.18
