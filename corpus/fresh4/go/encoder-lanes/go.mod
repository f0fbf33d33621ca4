module github.com/deadheat-corpus/encoderlanes

go 1.18
