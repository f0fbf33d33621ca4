module github.com/deadheat-corpus/forestfires

go 1.18
