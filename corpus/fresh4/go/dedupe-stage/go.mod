module github.com/deadheat-corpus/dedupestage

go 1.18
