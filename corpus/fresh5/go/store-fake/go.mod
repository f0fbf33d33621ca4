module github.com/deadheat-corpus/storefake

go 1.18
