module github.com/deadheat-corpus/backendorder

go 1.18
