module github.com/deadheat-corpus/regionprices

go 1.18
