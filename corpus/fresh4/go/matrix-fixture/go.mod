module github.com/deadheat-corpus/matrixfixture

go 1.18
