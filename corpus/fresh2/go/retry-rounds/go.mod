module github.com/deadheat-corpus/retryrounds

go 1.18
