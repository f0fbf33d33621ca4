module github.com/deadheat-corpus/tenantusage

go 1.18
