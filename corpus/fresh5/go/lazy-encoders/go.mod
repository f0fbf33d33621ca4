module github.com/deadheat-corpus/lazyencoders

go 1.18
