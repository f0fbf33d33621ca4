module github.com/deadheat-corpus/snapshotiter

go 1.18
