module github.com/deadheat-corpus/migratesteps

go 1.18
