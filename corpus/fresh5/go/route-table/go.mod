module github.com/deadheat-corpus/routetable

go 1.18
