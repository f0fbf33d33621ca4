module github.com/deadheat-corpus/orderresults

go 1.18
