module github.com/deadheat-corpus/zoowatchers

go 1.18
