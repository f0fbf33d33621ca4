module github.com/deadheat-corpus/bucketrefill

go 1.18
