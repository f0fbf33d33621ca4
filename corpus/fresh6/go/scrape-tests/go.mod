module github.com/deadheat-corpus/scrapetests

go 1.18
