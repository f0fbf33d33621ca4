module github.com/deadheat-corpus/vaultpartial

go 1.18
