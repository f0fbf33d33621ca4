module github.com/deadheat-corpus/clienttransport

go 1.18
