module github.com/deadheat-corpus/reconcilertests

go 1.18
