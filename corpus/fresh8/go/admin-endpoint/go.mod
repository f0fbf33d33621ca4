module github.com/deadheat-corpus/adminendpoint

go 1.18
