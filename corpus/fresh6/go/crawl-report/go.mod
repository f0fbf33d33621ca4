module github.com/deadheat-corpus/crawlreport

go 1.18
