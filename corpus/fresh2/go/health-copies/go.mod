module github.com/deadheat-corpus/healthcopies

go 1.18
