module github.com/deadheat-corpus/condmailroom

go 1.18
