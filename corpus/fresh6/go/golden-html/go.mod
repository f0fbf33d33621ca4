module github.com/deadheat-corpus/goldenhtml

go 1.18
