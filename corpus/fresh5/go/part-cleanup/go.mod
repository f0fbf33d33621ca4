module github.com/deadheat-corpus/partcleanup

go 1.18
