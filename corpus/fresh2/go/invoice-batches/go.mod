module github.com/deadheat-corpus/invoicebatches

go 1.18
