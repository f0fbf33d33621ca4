module github.com/deadheat-corpus/museumguide

go 1.18
