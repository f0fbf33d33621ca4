module github.com/deadheat-corpus/crawlerlogs

go 1.18
