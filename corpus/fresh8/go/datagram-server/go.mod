module github.com/deadheat-corpus/datagramserver

go 1.18
