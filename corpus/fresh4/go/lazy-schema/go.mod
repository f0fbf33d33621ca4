module github.com/deadheat-corpus/lazyschema

go 1.18
