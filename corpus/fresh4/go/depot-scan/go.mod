module github.com/deadheat-corpus/depotscan

go 1.18
