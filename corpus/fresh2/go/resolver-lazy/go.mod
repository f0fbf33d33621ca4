module github.com/deadheat-corpus/resolverlazy

go 1.18
