module github.com/deadheat-corpus/samplerflags

go 1.18
