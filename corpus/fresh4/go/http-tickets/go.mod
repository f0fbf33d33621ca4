module github.com/deadheat-corpus/httptickets

go 1.18
