module github.com/deadheat-corpus/targetbuild

go 1.18
