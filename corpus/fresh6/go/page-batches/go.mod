module github.com/deadheat-corpus/pagebatches

go 1.18
