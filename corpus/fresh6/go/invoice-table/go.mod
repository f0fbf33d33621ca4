module github.com/deadheat-corpus/invoicetable

go 1.18
