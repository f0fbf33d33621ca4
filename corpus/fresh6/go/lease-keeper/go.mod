module github.com/deadheat-corpus/leasekeeper

go 1.18
