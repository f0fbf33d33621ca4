module github.com/deadheat-corpus/hashexec

go 1.18
