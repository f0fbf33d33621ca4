module github.com/deadheat-corpus/smtpbuffers

go 1.18
