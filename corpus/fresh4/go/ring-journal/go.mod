module github.com/deadheat-corpus/ringjournal

go 1.18
