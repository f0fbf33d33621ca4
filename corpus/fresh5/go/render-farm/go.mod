module github.com/deadheat-corpus/renderfarm

go 1.18
