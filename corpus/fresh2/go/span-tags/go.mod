module github.com/deadheat-corpus/spantags

go 1.18
