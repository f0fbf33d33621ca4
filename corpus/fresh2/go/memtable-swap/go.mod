module github.com/deadheat-corpus/memtableswap

go 1.18
