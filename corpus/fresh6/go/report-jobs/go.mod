module github.com/deadheat-corpus/reportjobs

go 1.18
