module github.com/deadheat-corpus/verbosityswitch

go 1.18
