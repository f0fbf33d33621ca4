module github.com/deadheat-corpus/priceclock

go 1.18
