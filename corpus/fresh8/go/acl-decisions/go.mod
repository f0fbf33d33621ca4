module github.com/deadheat-corpus/acldecisions

go 1.18
