module github.com/deadheat-corpus/sqlbuildertests

go 1.18
