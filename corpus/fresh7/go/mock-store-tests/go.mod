module github.com/deadheat-corpus/mockstoretests

go 1.18
