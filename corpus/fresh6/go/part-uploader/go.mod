module github.com/deadheat-corpus/partuploader

go 1.18
