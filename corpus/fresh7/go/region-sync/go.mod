module github.com/deadheat-corpus/regionsync

go 1.18
