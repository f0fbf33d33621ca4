module github.com/deadheat-corpus/dnszones

go 1.18
