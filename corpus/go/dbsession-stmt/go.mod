module github.com/deadheat-corpus/dbsession

go 1.18
