module github.com/deadheat-corpus/epochgate

go 1.18
