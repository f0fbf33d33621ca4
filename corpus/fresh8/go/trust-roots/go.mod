module github.com/deadheat-corpus/trustroots

go 1.18
