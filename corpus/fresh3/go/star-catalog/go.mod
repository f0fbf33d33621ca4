module github.com/deadheat-corpus/starcatalog

go 1.18
