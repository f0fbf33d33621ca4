module github.com/deadheat-corpus/offsetsnapshot

go 1.18
