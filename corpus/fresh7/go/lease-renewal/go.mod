module github.com/deadheat-corpus/leaserenewal

go 1.18
