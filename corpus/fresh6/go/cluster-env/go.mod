module github.com/deadheat-corpus/clusterenv

go 1.18
