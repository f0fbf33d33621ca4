module github.com/deadheat-corpus/reloadcounters

go 1.18
