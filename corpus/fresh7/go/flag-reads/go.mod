module github.com/deadheat-corpus/flagreads

go 1.18
