module github.com/deadheat-corpus/ledgerpar

go 1.18
