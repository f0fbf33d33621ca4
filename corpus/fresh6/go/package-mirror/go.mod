module github.com/deadheat-corpus/packagemirror

go 1.18
