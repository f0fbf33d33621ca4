module github.com/deadheat-corpus/rangepartition

go 1.18
