module github.com/deadheat-corpus/routeheaders

go 1.18
