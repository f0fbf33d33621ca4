module github.com/deadheat-corpus/rulesetonce

go 1.18
