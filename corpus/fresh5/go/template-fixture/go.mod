module github.com/deadheat-corpus/templatefixture

go 1.18
