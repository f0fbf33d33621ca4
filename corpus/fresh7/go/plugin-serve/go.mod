module github.com/deadheat-corpus/pluginserve

go 1.18
