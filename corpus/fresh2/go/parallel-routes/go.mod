module github.com/deadheat-corpus/parallelroutes

go 1.18
