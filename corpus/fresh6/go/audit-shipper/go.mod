module github.com/deadheat-corpus/auditshipper

go 1.18
