module github.com/deadheat-corpus/quotefanout

go 1.18
