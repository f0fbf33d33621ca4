module github.com/deadheat-corpus/crawlverdict

go 1.18
