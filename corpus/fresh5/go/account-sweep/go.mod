module github.com/deadheat-corpus/accountsweep

go 1.18
