module github.com/deadheat-corpus/storekinds

go 1.18
