module github.com/deadheat-corpus/suggestquery

go 1.18
