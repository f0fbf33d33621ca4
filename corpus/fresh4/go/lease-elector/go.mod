module github.com/deadheat-corpus/leaseelector

go 1.18
