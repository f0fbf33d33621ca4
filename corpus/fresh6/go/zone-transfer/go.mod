module github.com/deadheat-corpus/zonetransfer

go 1.18
