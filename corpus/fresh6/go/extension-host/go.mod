module github.com/deadheat-corpus/extensionhost

go 1.18
