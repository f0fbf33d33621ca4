module github.com/deadheat-corpus/mailerfixture

go 1.18
