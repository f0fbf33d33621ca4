module github.com/deadheat-corpus/configtests

go 1.18
