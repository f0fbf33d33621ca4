module github.com/deadheat-corpus/geocells

go 1.18
