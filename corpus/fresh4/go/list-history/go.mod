module github.com/deadheat-corpus/listhistory

go 1.18
