module github.com/deadheat-corpus/crawler

go 1.18
