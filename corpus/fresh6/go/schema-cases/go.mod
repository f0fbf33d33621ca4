module github.com/deadheat-corpus/schemacases

go 1.18
