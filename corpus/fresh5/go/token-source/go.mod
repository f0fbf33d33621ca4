module github.com/deadheat-corpus/tokensource

go 1.18
