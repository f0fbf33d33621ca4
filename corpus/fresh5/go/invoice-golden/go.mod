module github.com/deadheat-corpus/invoicegolden

go 1.18
