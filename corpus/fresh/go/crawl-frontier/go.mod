module github.com/deadheat-corpus/crawl

go 1.18
