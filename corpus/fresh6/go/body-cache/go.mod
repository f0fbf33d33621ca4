module github.com/deadheat-corpus/bodycache

go 1.18
