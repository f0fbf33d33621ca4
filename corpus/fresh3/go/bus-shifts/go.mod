module github.com/deadheat-corpus/busshifts

go 1.18
