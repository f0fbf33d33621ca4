module github.com/deadheat-corpus/deliverylogs

go 1.18
