module github.com/deadheat-corpus/registrykinds

go 1.18
