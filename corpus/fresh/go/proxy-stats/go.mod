module github.com/deadheat-corpus/proxystats

go 1.18
