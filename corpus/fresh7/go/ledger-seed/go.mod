module github.com/deadheat-corpus/ledgerseed

go 1.18
