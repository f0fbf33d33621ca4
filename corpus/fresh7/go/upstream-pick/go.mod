module github.com/deadheat-corpus/upstreampick

go 1.18
