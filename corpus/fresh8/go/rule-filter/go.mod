module github.com/deadheat-corpus/rulefilter

go 1.18
