module github.com/deadheat-corpus/servicebrowse

go 1.18
