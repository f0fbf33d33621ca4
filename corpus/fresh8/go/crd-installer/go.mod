module github.com/deadheat-corpus/crdinstaller

go 1.18
