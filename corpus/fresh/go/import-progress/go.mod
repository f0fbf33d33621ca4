module github.com/deadheat-corpus/importer

go 1.18
