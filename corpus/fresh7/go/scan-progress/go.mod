module github.com/deadheat-corpus/scanprogress

go 1.18
