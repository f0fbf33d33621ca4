module github.com/deadheat-corpus/highlighttokens

go 1.18
