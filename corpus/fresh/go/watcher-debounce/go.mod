module github.com/deadheat-corpus/debounce

go 1.18
