module github.com/deadheat-corpus/librarydesk

go 1.18
