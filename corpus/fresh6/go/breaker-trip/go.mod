module github.com/deadheat-corpus/breakertrip

go 1.18
