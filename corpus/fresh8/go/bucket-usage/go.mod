module github.com/deadheat-corpus/bucketusage

go 1.18
