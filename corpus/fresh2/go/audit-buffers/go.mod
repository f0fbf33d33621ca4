module github.com/deadheat-corpus/auditbuffers

go 1.18
