module github.com/deadheat-corpus/zonedcl

go 1.18
