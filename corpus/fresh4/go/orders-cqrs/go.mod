module github.com/deadheat-corpus/orderscqrs

go 1.18
