module github.com/deadheat-corpus/finalhandles

go 1.18
