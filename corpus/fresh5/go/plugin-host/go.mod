module github.com/deadheat-corpus/pluginhost

go 1.18
