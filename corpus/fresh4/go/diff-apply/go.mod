module github.com/deadheat-corpus/diffapply

go 1.18
