module github.com/deadheat-corpus/ringsnapshot

go 1.18
