module github.com/deadheat-corpus/spoolstop

go 1.18
