module github.com/deadheat-corpus/taxledger

go 1.18
