module github.com/deadheat-corpus/treecopier

go 1.18
