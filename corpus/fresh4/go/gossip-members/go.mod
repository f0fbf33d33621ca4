module github.com/deadheat-corpus/gossipmembers

go 1.18
