module github.com/deadheat-corpus/raftvotes

go 1.18
