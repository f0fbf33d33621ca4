module github.com/deadheat-corpus/vmballoon

go 1.18
