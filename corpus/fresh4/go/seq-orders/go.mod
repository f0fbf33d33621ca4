module github.com/deadheat-corpus/seqorders

go 1.23
