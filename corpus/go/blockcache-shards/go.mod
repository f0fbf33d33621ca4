module github.com/deadheat-corpus/blockcache

go 1.18
