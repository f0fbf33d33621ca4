module github.com/deadheat-corpus/flagsoverride

go 1.18
