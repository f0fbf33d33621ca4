module github.com/deadheat-corpus/kilnfiring

go 1.18
