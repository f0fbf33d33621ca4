module github.com/deadheat-corpus/meterreport

go 1.18
