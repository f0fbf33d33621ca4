module github.com/deadheat-corpus/lexerkeywords

go 1.18
