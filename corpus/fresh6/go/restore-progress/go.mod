module github.com/deadheat-corpus/restoreprogress

go 1.18
