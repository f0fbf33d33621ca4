module github.com/deadheat-corpus/blobsweeper

go 1.18
