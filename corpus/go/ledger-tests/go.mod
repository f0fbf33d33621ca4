module github.com/deadheat-corpus/ledger

go 1.18
