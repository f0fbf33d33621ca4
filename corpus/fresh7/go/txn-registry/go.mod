module github.com/deadheat-corpus/txnregistry

go 1.18
