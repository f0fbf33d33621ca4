module github.com/deadheat-corpus/quotacases

go 1.18
