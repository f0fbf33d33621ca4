module github.com/deadheat-corpus/saunastove

go 1.18
