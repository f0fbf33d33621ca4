module github.com/deadheat-corpus/orchestratuning

go 1.18
