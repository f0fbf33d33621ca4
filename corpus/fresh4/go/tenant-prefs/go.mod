module github.com/deadheat-corpus/tenantprefs

go 1.18
