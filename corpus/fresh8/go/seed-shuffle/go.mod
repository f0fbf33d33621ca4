module github.com/deadheat-corpus/seedshuffle

go 1.18
