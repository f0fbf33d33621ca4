module github.com/deadheat-corpus/tenants

go 1.18
