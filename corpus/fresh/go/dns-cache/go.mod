module github.com/deadheat-corpus/dnscache

go 1.18
