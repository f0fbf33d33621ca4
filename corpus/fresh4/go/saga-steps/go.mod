module github.com/deadheat-corpus/sagasteps

go 1.18
