module github.com/deadheat-corpus/quotahandle

go 1.18
