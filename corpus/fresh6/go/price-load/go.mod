module github.com/deadheat-corpus/priceload

go 1.18
