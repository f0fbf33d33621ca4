module github.com/deadheat-corpus/ldapoptions

go 1.18
