module github.com/deadheat-corpus/packfileindex

go 1.18
