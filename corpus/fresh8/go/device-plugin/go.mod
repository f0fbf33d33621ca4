module github.com/deadheat-corpus/deviceplugin

go 1.18
