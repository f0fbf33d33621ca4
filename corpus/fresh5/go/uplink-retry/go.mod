module github.com/deadheat-corpus/uplinkretry

go 1.18
