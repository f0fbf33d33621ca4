module github.com/deadheat-corpus/recipetests

go 1.18
