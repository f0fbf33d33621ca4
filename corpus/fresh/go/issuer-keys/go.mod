module github.com/deadheat-corpus/issuer

go 1.18
