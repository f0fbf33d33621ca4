module github.com/deadheat-corpus/poolidle

go 1.18
