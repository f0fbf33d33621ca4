module github.com/deadheat-corpus/epochstats

go 1.18
