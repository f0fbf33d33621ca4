module github.com/deadheat-corpus/exportshard

go 1.18
