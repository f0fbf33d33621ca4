module github.com/deadheat-corpus/tenantlimits

go 1.18
