module github.com/deadheat-corpus/queuetotals

go 1.18
