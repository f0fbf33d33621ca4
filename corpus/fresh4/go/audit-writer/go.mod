module github.com/deadheat-corpus/auditwriter

go 1.18
