module github.com/deadheat-corpus/connslots

go 1.18
