module github.com/deadheat-corpus/tenantmeter

go 1.18
