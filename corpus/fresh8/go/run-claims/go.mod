module github.com/deadheat-corpus/runclaims

go 1.18
